"""The engines that decide which candidate edges stay."""
