"""What operators, device plugins and network plugins make of what is written for them."""
