# Generics with the names that users of brms, rstanarm, loo and bayesplot know. Those packages
# need not be installed; if they are, methods are registered for their generics too (see NAMESPACE),
# and objects of other classes are passed on to them: it does not matter which package was attached
# last.

posterior_predict <- function(object, ...) UseMethod("posterior_predict")
posterior_epred <- function(object, ...) UseMethod("posterior_epred")
posterior_linpred <- function(object, transform = FALSE, ...) UseMethod("posterior_linpred")
predictive_interval <- function(object, ...) UseMethod("predictive_interval")
log_lik <- function(object, ...) UseMethod("log_lik")
loo <- function(x, ...) UseMethod("loo")
waic <- function(x, ...) UseMethod("waic")
pp_check <- function(object, ...) UseMethod("pp_check")
nuts_params <- function(object, ...) UseMethod("nuts_params")
log_posterior <- function(object, ...) UseMethod("log_posterior")

has_package <- function(package) requireNamespace(package, quietly = TRUE)

elsewhere <- function(package, name, object) {
  if (has_package(package)) return(getExportedValue(package, name))
  stop(errorCondition(
    paste0(name, "(): no method for an object of class ", class(object)[1L],
           ", expected a fit of nnpost, or the package ", package, " installed"),
    class = "nnpost_error", call = sys.call(-1L)))
}

posterior_predict.default <- function(object, ...)
  elsewhere("rstantools", "posterior_predict", object)(object, ...)
posterior_epred.default <- function(object, ...)
  elsewhere("rstantools", "posterior_epred", object)(object, ...)
posterior_linpred.default <- function(object, transform = FALSE, ...)
  elsewhere("rstantools", "posterior_linpred", object)(object, transform, ...)
predictive_interval.default <- function(object, ...)
  elsewhere("rstantools", "predictive_interval", object)(object, ...)
log_lik.default <- function(object, ...) elsewhere("rstantools", "log_lik", object)(object, ...)
loo.default <- function(x, ...) elsewhere("loo", "loo", x)(x, ...)
waic.default <- function(x, ...) elsewhere("loo", "waic", x)(x, ...)
pp_check.default <- function(object, ...) elsewhere("bayesplot", "pp_check", object)(object, ...)
nuts_params.default <- function(object, ...)
  elsewhere("bayesplot", "nuts_params", object)(object, ...)
log_posterior.default <- function(object, ...)
  elsewhere("bayesplot", "log_posterior", object)(object, ...)

# Packages that are only suggested.
need_package <- function(package, what) {
  if (!has_package(package))
    bad(what, paste("the package", package, "is not installed"),
        paste0("it to be: install.packages(\"", package, "\")"), "NNP_E_UNSUPPORTED")
}
