"""One file per host; import as `grace_plugin.adapters`."""
