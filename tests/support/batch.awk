# SPDX-License-Identifier: BSD-3-Clause
# awk -f batch.awk tst_a.cpp tst_b.cpp ...: one source of several QtTest programs, each in a namespace of its own name,
# and a main that runs the one that is asked for. What the files include comes first, outside of the namespaces.

FNR == 1 {
    name = FILENAME
    sub(/^.*\//, "", name)
    sub(/\.cpp$/, "", name)
    if (tests) body[++lines] = "}"
    body[++lines] = "namespace " name " {"
    body[++lines] = "#line 1 \"" FILENAME "\""
    names[++tests] = name
}
/^#include/ && !/\.moc"/ {
    if (!($0 in included)) print
    included[$0] = 1
    $0 = ""
}
{ body[++lines] = $0 }

END {
    print "#include <cstdio>"
    print "#include <string_view>"
    for (i = 1; i <= lines; ++i) print body[i]
    print "}"
    print "#line 1 \"main of a batch of tests\""
    print "int main(int argc, char** argv) {"
    print "    const std::string_view test = argc > 1 ? argv[1] : \"\";"
    for (i = 1; i <= tests; ++i)
        print "    if (test == \"" names[i] "\") return " names[i] "::main(argc - 1, argv + 1);"
    for (i = 1; i <= tests; ++i) all = all " " names[i]
    print "    std::fprintf(stderr, \"%s: the first argument is one of" all "\\n\", argv[0]);"
    print "    return 2;"
    print "}"
}
