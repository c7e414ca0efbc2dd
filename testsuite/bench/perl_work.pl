# SPDX-License-Identifier: GPL-3.0-or-later
# Words, hashes, patterns, sorting: argument times.
my $rounds = shift || 1;
my $sum = 0;
for my $round (1 .. $rounds) {
    my (%seen, @words);
    for my $i (1 .. 4000) {
        my $word = sprintf("w%x-%d", $i * 7919 % 10007, $i % 13);
        $seen{$word}++;
        push @words, $word if $word =~ /^w[0-9a-f]*[13579bdf]-(\d+)$/ && $1 > 3;
    }
    my $text = join(" ", sort { $a cmp $b } @words);
    $text =~ s/w([0-9a-f]+)/uc($1)/ge;
    $sum += length($text) + scalar(keys %seen) + ($text =~ tr/A-F//);
}
print "$sum\n";
