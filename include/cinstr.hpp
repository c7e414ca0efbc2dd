/* SPDX-License-Identifier: MIT */
/*
 * cinstr.hpp - cinstr.h for C++: scopes in which recording is off or on, however they are left.
 * C++98 and later.
 *
 *     cinstr::suspended quiet;                    // this thread does not record up to the end of
 *                                                 the scope
 *     cinstr::started whole(CINSTR_PROCESS);      // the process does
 */
#ifndef CINSTR_HPP
#define CINSTR_HPP

#include "cinstr.h"

namespace cinstr
{

/* Suspends a level, and resumes it at the end of the scope. They nest. */
class suspended
{
      public:
	__attribute__((no_instrument_function)) explicit suspended(cinstr_level level = CINSTR_THREAD,
								   unsigned int id = CINSTR_SELF)
	    : level_(level), id_(id), status_(cinstr_suspend(level, id))
	{
	}
	__attribute__((no_instrument_function)) ~suspended()
	{
		if (status_ == CINSTR_OK)
			cinstr_resume(level_, id_);
	}
	cinstr_status status() const
	{
		return status_;
	}

      private:
	suspended(const suspended &);
	suspended &operator=(const suspended &);
	cinstr_level level_;
	unsigned int id_;
	cinstr_status status_;
};

/* Starts a level, and stops it at the end of the scope. They do not nest: the first one to end
 * stops the level. */
class started
{
      public:
	__attribute__((no_instrument_function)) explicit started(cinstr_level level = CINSTR_THREAD,
								 unsigned int id = CINSTR_SELF)
	    : level_(level), id_(id), status_(cinstr_start(level, id))
	{
	}
	__attribute__((no_instrument_function)) ~started()
	{
		if (status_ == CINSTR_OK)
			cinstr_stop(level_, id_);
	}
	cinstr_status status() const
	{
		return status_;
	}

      private:
	started(const started &);
	started &operator=(const started &);
	cinstr_level level_;
	unsigned int id_;
	cinstr_status status_;
};

/* Gives the thread a tag until the end of the scope. */
class tagged
{
      public:
	__attribute__((no_instrument_function)) tagged(const char *name, int64_t id) : name_(name)
	{
		cinstr_tag(name, id);
	}
	__attribute__((no_instrument_function)) ~tagged()
	{
		cinstr_tag_end(name_);
	}

      private:
	tagged(const tagged &);
	tagged &operator=(const tagged &);
	const char *name_;
};

__attribute__((no_instrument_function)) inline cinstr_status mark(int64_t id, const char *text = 0)
{
	return cinstr_mark_text(id, text);
}

} // namespace cinstr

#endif
