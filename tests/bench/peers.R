# The R side of peers.py: rstan and nnet on the problems in a folder. Answers each line of standard
# input, a request, with one line. Usage: Rscript peers.R FOLDER
folder <- commandArgs(TRUE)[1]
load_or_not <- function(name)
  suppressWarnings(suppressMessages(require(name, character.only = TRUE, quietly = TRUE)))
has_stan <- load_or_not("rstan")
has_nnet <- load_or_not("nnet")

# Hidden layers of equal width; weights and biases of a layer have the same precision.
program <- "
data {
  int n; int p; int h; int extra; int relu; real noise;
  matrix[n, p] X; vector[n] y; vector[extra + 2] precision;
}
parameters {
  matrix[p, h] W1; row_vector[h] b1;
  matrix[h, h] W[extra]; row_vector[h] b[extra];
  vector[h] v; real c;
}
model {
  matrix[n, h] z = X * W1 + rep_matrix(b1, n);
  for (k in 0:extra) {
    if (k > 0) z = z * W[k] + rep_matrix(b[k], n);
    if (relu) { for (j in 1:h) for (i in 1:n) if (z[i, j] < 0) z[i, j] = 0; }
    else z = tanh(z);
  }
  target += -0.5 * dot_self(y - z * v - c) / noise
    - 0.5 * precision[1] * (dot_self(to_vector(W1)) + dot_self(b1))
    - 0.5 * precision[extra + 2] * (dot_self(v) + c * c);
  for (k in 1:extra)
    target += -0.5 * precision[k + 1] * (dot_self(to_vector(W[k])) + dot_self(b[k]));
}"

numbers <- function(name) scan(file.path(folder, name), quiet = TRUE)

# Data of a problem for Stan, and its start: of each layer the weights by unit, then the biases.
problem <- function(name) {
  shape <- numbers(paste0(name, ".shape"))  # n, p, h, extra, relu, noise, precisions
  n <- shape[1]; p <- shape[2]; h <- shape[3]; extra <- shape[4]
  data <- list(n = n, p = p, h = h, extra = extra, relu = shape[5], noise = shape[6],
               precision = shape[-(1:6)], y = numbers(paste0(name, ".y")),
               X = matrix(numbers(paste0(name, ".x")), n, byrow = TRUE))
  q <- numbers(paste0(name, ".start"))
  take <- function(count) { first <- q[seq_len(count)]; q <<- q[-seq_len(count)]; first }
  start <- list(W1 = matrix(take(p * h), p), b1 = take(h), W = array(0, c(extra, h, h)),
                b = array(0, c(extra, h)))
  for (k in seq_len(extra)) {
    start$W[k, , ] <- matrix(take(h * h), h)
    start$b[k, ] <- take(h)
  }
  start$v <- take(h)
  start$c <- take(1)
  list(data = data, start = start)
}

seconds <- function(work) {  # of this process
  before <- proc.time()
  work()
  sum((proc.time() - before)[1:2])
}

if (has_stan) {
  # Debian keeps Boost outside of R's package BH.
  if (!file.exists(rstan_options("boost_lib"))) rstan_options(boost_lib = "/usr/include")
  built <- try(suppressMessages(stan_model(model_code = program)), silent = TRUE)
  has_stan <- !inherits(built, "try-error")
  if (!has_stan) message(built)
}

objects <- list()
model_of <- function(name) {  # Stan's model with its data
  if (is.null(objects[[name]])) {
    it <- problem(name)
    it$fit <- suppressWarnings(sampling(built, data = it$data, chains = 1, iter = 1, warmup = 0,
      refresh = 0, init = list(it$start), control = list(adapt_engaged = FALSE, max_treedepth = 1)))
    it$at <- unconstrain_pars(it$fit, it$start)
    objects[[name]] <<- it
  }
  objects[[name]]
}

requests <- list(
  # log density (without constants) and milliseconds of a gradient
  stan_gradient = function(name, repeats) {
    it <- model_of(name)
    value <- attr(grad_log_prob(it$fit, it$at), "log_prob")
    work <- function() for (i in seq_len(repeats)) grad_log_prob(it$fit, it$at)
    c(value, 1e3 / repeats * seconds(work))
  },
  # milliseconds of a BFGS iteration, which takes a gradient and one or more forward passes
  nnet_iteration = function(name, repeats) {
    it <- problem(name)$data
    work <- function() nnet(it$X, it$y, size = it$h, linout = TRUE, trace = FALSE, decay = 1e-3,
                            rang = 0.1, MaxNWts = 1e5, maxit = repeats, abstol = 0, reltol = 0)
    c(0, 1e3 / repeats * seconds(work))
  },
  # seconds of the draws of NUTS, warm-up not counted; writes them
  stan_nuts = function(name, warmup, draws, seed, depth) {
    it <- problem(name)
    fit <- suppressWarnings(sampling(built, data = it$data, chains = 1, iter = warmup + draws,
      warmup = warmup, init = list(it$start), seed = seed, refresh = 0,
      control = list(max_treedepth = depth)))
    all <- as.matrix(fit, pars = c("W1", "b1", "v", "c"))
    write.table(all, file.path(folder, "stan.draws"), row.names = FALSE, col.names = FALSE)
    c(sum(get_elapsed_time(fit)), get_elapsed_time(fit)[1, "sample"],
      sum(get_sampler_params(fit, inc_warmup = FALSE)[[1]][, "n_leapfrog__"]))
  }
)

cat(if (has_stan) "stan", if (has_nnet) "nnet", "\n")
input <- file("stdin", "r")
while (length(line <- readLines(input, 1)) > 0) {
  words <- strsplit(line, " ")[[1]]
  arguments <- c(list(words[2]), as.list(as.numeric(words[-(1:2)])))
  cat(format(do.call(requests[[words[1]]], arguments), digits = 15), "\n")
}
