/* RECKON_API marks what libreckon.so shows to others; all other names are hidden. */
#ifndef RECKON_EXPORT_H
#define RECKON_EXPORT_H

#if defined(__GNUC__)
#define RECKON_API __attribute__((visibility("default")))
#else
#define RECKON_API
#endif

#endif
