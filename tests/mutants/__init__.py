"""Mutation testing: `make mutants` changes one place of the code at a time and asks whether a test notices.

points      where the code can be changed and how: mutmut's operators and a few of our own
sample      a seeded choice, spread over modules and operators, of which a smaller one is always a part
trace       which test executes which line, recorded once and kept in build/ (recorder: the part within pytest)
trial       a process of its own copy of the repository that runs the tests of one mutant after the other
survivors   the listed ones, each with the reason why no test can or should notice it

mutmut's own runner is not used: it leaves out decorated functions and class bodies, where half of these packages stands,
chooses tests by function and has no sample.
"""
