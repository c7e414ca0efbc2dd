/* SPDX-License-Identifier: GPL-3.0-or-later */
/* expect: CF0111 consume|produce; wall
 * true: CF0211 a semaphore is still taken for each block
 * One process makes samples of a sound, another one mixes them, over memory that both share.
 * Planted: each block of 32 samples is handed over by semaphores, and waited for, so that the
 * processes change at each of them; the repaired one has room for 512 blocks. */
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define BLOCKS 60000
#define SAMPLES 32
#ifdef REPAIRED
#define ROOM 512
#else
#define ROOM 1
#endif

struct ring {
	sem_t filled, room;
	float blocks[ROOM][SAMPLES];
};

static void synthesize(float *block, unsigned n)
{
	float phase = (float)(n % 100) / 100;

	for (int i = 0; i < SAMPLES; i++) {
		phase += 0.01f;
		block[i] = phase * (1 - phase) * (phase - 0.5f);
	}
}

static void produce(struct ring *ring)
{
	for (unsigned n = 0; n < BLOCKS; n++) {
		sem_wait(&ring->room);
		synthesize(ring->blocks[n % ROOM], n);
		sem_post(&ring->filled);
	}
}

static float mix(const float *block, float last)
{
	for (int i = 0; i < SAMPLES; i++)
		last = last * 0.9f + block[i] * 0.1f;
	return last;
}

static float consume(struct ring *ring)
{
	float last = 0;

	for (unsigned n = 0; n < BLOCKS; n++) {
		sem_wait(&ring->filled);
		last = mix(ring->blocks[n % ROOM], last);
		sem_post(&ring->room);
	}
	return last;
}

int main(void)
{
	struct ring *ring = mmap(NULL, sizeof(*ring), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid;

	sem_init(&ring->filled, 1, 0);
	sem_init(&ring->room, 1, ROOM);
	pid = fork();
	if (pid == 0) {
		produce(ring);
		exit(0);
	}
	printf("%.6f\n", consume(ring));
	waitpid(pid, NULL, 0);
	return 0;
}
