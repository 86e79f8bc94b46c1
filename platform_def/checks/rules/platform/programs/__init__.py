"""What programs that jobs run read and refuse."""
