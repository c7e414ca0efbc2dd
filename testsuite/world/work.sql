-- A deterministic piece of work for sqlite3 :memory:.
CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, price REAL, kind INTEGER);
CREATE TABLE sale(id INTEGER PRIMARY KEY, item INTEGER REFERENCES item(id), amount INTEGER, day TEXT);
BEGIN;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4000)
INSERT INTO item SELECT i, printf('item-%05d', i * 7919 % 4001), (i * 31 % 1000) / 10.0, i % 13 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 120000)
INSERT INTO sale SELECT i, 1 + i * 6367 % 4000, 1 + i % 9, date('2020-01-01', (i % 730) || ' days') FROM n;
COMMIT;
CREATE INDEX sale_item ON sale(item);
CREATE INDEX item_name ON item(name COLLATE NOCASE);
ANALYZE;
SELECT kind, count(*), round(sum(price * amount), 2) FROM sale JOIN item ON item.id = sale.item GROUP BY kind ORDER BY 3;
SELECT substr(day, 1, 7) AS month, sum(amount) FROM sale GROUP BY month ORDER BY 2 DESC, 1 LIMIT 10;
SELECT count(*) FROM item WHERE name LIKE '%99%' OR upper(name) GLOB 'ITEM-0*7';
SELECT name, (SELECT sum(amount) FROM sale WHERE item = item.id) FROM item ORDER BY name LIMIT 5;
WITH ranked AS (
  SELECT item, day, amount, row_number() OVER (PARTITION BY item ORDER BY day DESC, id) AS nth FROM sale)
SELECT sum(amount * nth), max(nth), count(DISTINCT item) FROM ranked;
UPDATE item SET price = price * 1.1 WHERE kind IN (SELECT kind FROM item GROUP BY kind HAVING avg(price) > 49);
DELETE FROM sale WHERE id % 5 = 0;
SELECT count(*), sum(length(hex(name))), group_concat(DISTINCT kind) FROM item;
CREATE TABLE doc(id INTEGER PRIMARY KEY, body TEXT);
INSERT INTO doc SELECT id, json_object('name', name, 'tags', json_array(kind, price, 'a"b')) FROM item WHERE id <= 3000;
SELECT sum(json_extract(body, '$.tags[0]')), count(json_extract(body, '$.name')) FROM doc;
WITH RECURSIVE mandel(x, y, cx, cy, n) AS (
  SELECT 0.0, 0.0, a.v, b.v, 0 FROM
    (WITH RECURSIVE c(v) AS (SELECT -2.0 UNION ALL SELECT v + 0.1 FROM c WHERE v < 1.0) SELECT v FROM c) a,
    (WITH RECURSIVE c(v) AS (SELECT -1.0 UNION ALL SELECT v + 0.1 FROM c WHERE v < 1.0) SELECT v FROM c) b
  UNION ALL
  SELECT x * x - y * y + cx, 2.0 * x * y + cy, cx, cy, n + 1 FROM mandel WHERE x * x + y * y < 4.0 AND n < 40)
SELECT sum(n), count(*) FROM mandel;
SELECT nosuchcolumn FROM item;
VACUUM;
PRAGMA integrity_check;
