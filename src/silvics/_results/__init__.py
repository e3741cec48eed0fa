"""Result objects that describe a fitted model: they have fields, print, and convert."""
