"""The controller that shows the files of volumes."""
