"""Labels from elsewhere: exports of this product, and turns that say of their fields whether the answer draws on them."""
