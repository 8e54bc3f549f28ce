"""What all rivals count."""

WINDOWS = [10, 30, 60, 120, 300, 600, 1800, 3600]  # seconds
THRESHOLDS = [2, 3, 4, 6, 10]
