"""The views of lists that people have saved; everybody is told of their own."""
