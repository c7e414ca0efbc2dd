# SPDX-License-Identifier: GPL-3.0-or-later
#
# find_package(cinstr REQUIRED)
# cinstr_instrument(TARGET... [FILTER FILE] [OPTIONS NAME[=VALUE]...])
#
# Compiles these targets with the GCC plugin of the profiler cinstr, and links them with it, as -flto needs it. OPTIONS are
# the plugin's (cinstr-plugin(1)): OPTIONS small=0 exclude=*_get. A FILTER is relative to the current source folder; when it
# changes, everything is compiled anew. Languages whose compiler is not GCC are left alone, and that is said.
#
# The target cinstr::cinstr has the folder of cinstr.h. CMake 3.18 or later.

if(CMAKE_VERSION VERSION_LESS 3.18)
	set(cinstr_FOUND FALSE)
	set(cinstr_NOT_FOUND_MESSAGE "cinstr needs CMake 3.18 or later")
	return()
endif()

# Beside this file: in an installed tree, wherever it is now (lib/cmake/cinstr, or a level deeper), or in the source.
find_program(CINSTR_COMMAND cinstr NO_DEFAULT_PATH PATHS
	"${CMAKE_CURRENT_LIST_DIR}/../../../bin" "${CMAKE_CURRENT_LIST_DIR}/../../../../bin"
	"${CMAKE_CURRENT_LIST_DIR}/../../build")
find_program(CINSTR_COMMAND cinstr)
mark_as_advanced(CINSTR_COMMAND)
if(NOT CINSTR_COMMAND)
	set(cinstr_FOUND FALSE)
	set(cinstr_NOT_FOUND_MESSAGE "there is no command cinstr beside ${CMAKE_CURRENT_LIST_DIR}, nor in PATH")
	return()
endif()

get_property(_cinstr_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
foreach(_cinstr_language IN ITEMS C CXX Fortran D Ada)
	if(NOT _cinstr_language IN_LIST _cinstr_languages OR NOT CMAKE_${_cinstr_language}_COMPILER_ID STREQUAL "GNU")
		continue()
	endif()
	execute_process(
		COMMAND "${CINSTR_COMMAND}" --plugin-path "${CMAKE_${_cinstr_language}_COMPILER}"
		OUTPUT_VARIABLE CINSTR_PLUGIN_${_cinstr_language} ERROR_VARIABLE _cinstr_why RESULT_VARIABLE _cinstr_status
		OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_STRIP_TRAILING_WHITESPACE)
	if(NOT _cinstr_status EQUAL 0)
		set(cinstr_FOUND FALSE)
		set(cinstr_NOT_FOUND_MESSAGE "${_cinstr_why}")
		return()
	endif()
endforeach()

if(NOT TARGET cinstr::cinstr)
	add_library(cinstr::cinstr INTERFACE IMPORTED)
	find_path(CINSTR_INCLUDE_DIR cinstr.h NO_DEFAULT_PATH PATHS
		"${CMAKE_CURRENT_LIST_DIR}/../../../include" "${CMAKE_CURRENT_LIST_DIR}/../../../../include"
		"${CMAKE_CURRENT_LIST_DIR}/../../include")
	mark_as_advanced(CINSTR_INCLUDE_DIR)
	if(CINSTR_INCLUDE_DIR)
		set_target_properties(cinstr::cinstr PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${CINSTR_INCLUDE_DIR}")
	endif()
endif()

function(cinstr_instrument)
	cmake_parse_arguments(PARSE_ARGV 0 arg "" "FILTER" "OPTIONS")
	if(NOT arg_UNPARSED_ARGUMENTS)
		message(FATAL_ERROR "cinstr_instrument: which targets?")
	endif()
	set(options)
	foreach(option IN LISTS arg_OPTIONS)
		list(APPEND options "-fplugin-arg-cinstr-${option}")
	endforeach()
	set(compile_options)
	if(arg_FILTER)
		get_filename_component(filter "${arg_FILTER}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
		if(NOT EXISTS "${filter}")
			message(FATAL_ERROR "cinstr_instrument: there is no filter ${filter}")
		endif()
		list(APPEND options "-fplugin-arg-cinstr-filter=${filter}")
		# What is in it is part of the command: the build, and ccache, see when it changes.
		set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${filter}")
		file(SHA256 "${filter}" hash)
		string(SUBSTRING "${hash}" 0 16 hash)
		set(compile_options "-DCINSTR_FILTER_${hash}")
	endif()
	get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
	foreach(language IN ITEMS C CXX Fortran D Ada)
		if(NOT language IN_LIST languages)
			continue()
		elseif(CINSTR_PLUGIN_${language})
			set(flags "-fplugin=${CINSTR_PLUGIN_${language}}" ${options})
			list(APPEND compile "$<$<COMPILE_LANG_AND_ID:${language},GNU>:${flags};${compile_options}>")
			list(APPEND link "$<$<LINK_LANG_AND_ID:${language},GNU>:${flags}>")
		else()
			_cinstr_note_other("${language}")
		endif()
	endforeach()
	foreach(target IN LISTS arg_UNPARSED_ARGUMENTS)
		_cinstr_target("${target}" "${compile}" "${link}")
	endforeach()
endfunction()

function(_cinstr_target target compile link)
	if(NOT TARGET "${target}")
		message(FATAL_ERROR "cinstr_instrument: there is no target ${target}")
	endif()
	get_target_property(aliased "${target}" ALIASED_TARGET)
	if(aliased)
		set(target "${aliased}")
	endif()
	get_target_property(type "${target}" TYPE)
	get_target_property(imported "${target}" IMPORTED)
	if(imported OR type STREQUAL "INTERFACE_LIBRARY" OR type STREQUAL "UTILITY")
		message(FATAL_ERROR "cinstr_instrument: ${target} is not compiled here")
	endif()
	target_compile_options("${target}" PRIVATE ${compile})
	target_link_options("${target}" PRIVATE ${link})
	# What is compiled by -flto is instrumented where it is linked in.
	if(type STREQUAL "STATIC_LIBRARY" OR type STREQUAL "OBJECT_LIBRARY")
		foreach(option IN LISTS link)
			target_link_options("${target}" INTERFACE "$<BUILD_INTERFACE:${option}>")
		endforeach()
	endif()
endfunction()

# Once for each language.
function(_cinstr_note_other language)
	get_property(noted GLOBAL PROPERTY _cinstr_noted_${language})
	if(NOT noted)
		message(STATUS "cinstr: ${language} is not instrumented: ${CMAKE_${language}_COMPILER_ID} takes no GCC plugins")
		set_property(GLOBAL PROPERTY _cinstr_noted_${language} TRUE)
	endif()
endfunction()
