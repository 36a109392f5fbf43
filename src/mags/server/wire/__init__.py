"""What goes over the wire: types of requests and answers, and how values become them."""
