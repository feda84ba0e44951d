"""One cell of a table → a number, a blank, a mark, or the reason why it is none of them."""
