"""Routes in the words of each gateway: one file a gateway's API, and one for what a route is in none of them."""
