"""What each program refuses or ignores of what it reads: a module a program."""
