# SPDX-License-Identifier: GPL-3.0-or-later
# Words, hashes, patterns, sorting, blocks: argument times.
rounds = (ARGV[0] || 1).to_i
sum = 0
rounds.times do
  seen = Hash.new(0)
  words = []
  4000.times do |i|
    word = format("w%x-%d", i * 7919 % 10007, i % 13)
    seen[word] += 1
    words << word if word =~ /\Aw[0-9a-f]*[13579bdf]-(\d+)\z/ && $1.to_i > 3
  end
  text = words.sort.join(" ").gsub(/w([0-9a-f]+)/) { $1.upcase }
  sum += text.length + seen.size + text.count("A-F")
end
puts sum
