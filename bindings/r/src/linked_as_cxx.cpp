// R links a package with the C++ compiler if it finds a C++ file here; the core is in core/.
