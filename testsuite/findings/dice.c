/* SPDX-License-Identifier: GPL-3.0-or-later */
/* expect: CF0219 throw_dice|play; processor
 * Players throw dice, each a thread of its own. Planted: rand() has one state for all threads,
 * which the C library keeps under a lock. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define PLAYERS 4
#define THROWS 8000000

struct player {
	unsigned state;
	long won;
};

static int throw_dice(struct player *player)
{
#ifdef REPAIRED
	return rand_r(&player->state) % 6 + 1;
#else
	(void)player;
	return rand() % 6 + 1;
#endif
}

static void *play(void *arg)
{
	struct player *player = arg;

	for (int i = 0; i < THROWS; i++)
		player->won += throw_dice(player) == 6;
	return NULL;
}

int main(void)
{
	pthread_t threads[PLAYERS];
	struct player players[PLAYERS] = { { 0 } };
	long won = 0;

	for (unsigned i = 0; i < PLAYERS; i++) {
		players[i].state = i;
		pthread_create(&threads[i], NULL, play, &players[i]);
	}
	for (int i = 0; i < PLAYERS; i++) {
		pthread_join(threads[i], NULL);
		won += players[i].won;
	}
	printf("%d\n", won > 0);
	return 0;
}
