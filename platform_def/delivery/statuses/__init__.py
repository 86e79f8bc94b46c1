"""What Argo CD writes into its Applications, and policies change or refuse, so that it goes on by itself."""
