# Times of a forest of R: Rscript implementations.R LIBRARY TRAIN.csv TEST.csv TREES K
# prints the seconds of fit and of predict, and the accuracy.
given <- commandArgs(trailingOnly = TRUE)
read <- function(path) {
  table <- read.csv(path)
  table$y <- as.factor(table$y)
  table
}
train <- read(given[2])
test <- read(given[3])
levels(test$y) <- levels(train$y)
trees <- as.integer(given[4])
k <- as.integer(given[5])
seconds <- function(call) {
  start <- proc.time()[["elapsed"]]
  result <- call()
  list(result, proc.time()[["elapsed"]] - start)
}
inputs <- setdiff(names(train), "y")
if (given[1] == "randomForest") {
  suppressMessages(library(randomForest))
  fit <- seconds(function() randomForest(train[inputs], train$y, ntree = trees, mtry = k))
  out <- seconds(function() predict(fit[[1]], test[inputs]))
  predicted <- out[[1]]
} else {
  suppressMessages(library(ranger))
  rule <- if (given[1] == "ranger-et") "extratrees" else "gini"
  fit <- seconds(function() ranger(
    x = train[inputs], y = train$y, num.trees = trees, mtry = k, num.threads = 1,
    min.node.size = 1, splitrule = rule, replace = rule == "gini",
    sample.fraction = 1, num.random.splits = 1, oob.error = FALSE
  ))
  out <- seconds(function() predict(fit[[1]], test[inputs], num.threads = 1))
  predicted <- out[[1]]$predictions
}
cat("RESULT", fit[[2]], out[[2]], mean(as.character(predicted) == as.character(test$y)), "\n")
