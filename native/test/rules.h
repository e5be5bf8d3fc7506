/*
 * Rules of the fault libraries: which calls of this process shall fail, and how. Text in an environment variable, rules
 * parted by ';', the words of a rule by blanks. The first word of a rule is the name of the calls, the others are
 *
 *   nth=N        only the N-th of the calls that match (1 if none of the three is given),
 *   every=N      or each N-th,
 *   from=N       or all from the N-th on
 *   rank=R       in the process of this rank of the job only (Open MPI, PMIx, PMI or Slurm must say which it is)
 *   path=TEXT    calls on a file whose path contains TEXT; TEXT has no blanks and no ';'
 *   when=FILE    a call counts only while FILE exists: a program or a script makes it when its moment has come
 *   error=NAME   fail with an errno, by name or number, without doing anything; for MPI a number
 *   short=BYTES  move no more than so many bytes; 0: return 0
 *   kill=SIGNAL  end the process by the signal of this number, before the call
 *   flip=BIT     turn over this bit of what was read, counted from its first byte, modulo its length
 *
 * An unknown word ends the process: a test whose fault is never made would pass. Each process counts for itself. With
 * DRUMLIN_FAULTS_LOG=FILE each fault adds a line to FILE, and the end of each process adds one for each rule: how many
 * calls have matched, and how many failed.
 */
#ifndef DRUMLIN_TEST_RULES_H
#define DRUMLIN_TEST_RULES_H

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MOST_RULES 1024

enum effect { NONE, ERROR, SHORT, FLIP, KILL };

struct rule {
    char text[512]; /* the rule's words, ended by 0 each */
    const char *call;
    const char *path;
    const char *when;
    int64_t nth, every, from;
    enum effect effect;
    int64_t value; /* of the effect */
    _Atomic int64_t matched, hit;
};

static struct rule rules[MOST_RULES];
static int rule_count;

/* Makes system calls, because the functions of the C library may be those of the fault library. */
static void log_line(const char *format, ...)
{
    char line[1024];
    const char *file = getenv("DRUMLIN_FAULTS_LOG");
    if (file == NULL)
        return;
    int length = snprintf(line, sizeof line, "%d ", (int)getpid());
    va_list arguments;
    va_start(arguments, format);
    length += vsnprintf(line + length, sizeof line - (size_t)length, format, arguments);
    va_end(arguments);
    if (length >= (int)sizeof line)
        length = sizeof line - 1;
    long fd = syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (fd >= 0) {
        (void)!syscall(SYS_write, (int)fd, line, (size_t)length);
        (void)syscall(SYS_close, (int)fd);
    }
}

static void refuse(const char *word)
{
    fprintf(stderr, "fault library: \"%s\" is not understood\n", word);
    _exit(99);
}

static int64_t number_of(const char *word, const char *value)
{
    char *end;
    long long number = strtoll(value, &end, 10);
    if (*value == '\0' || *end != '\0' || number < 0)
        refuse(word);
    return number;
}

static int64_t error_of(const char *word, const char *value)
{
    static const struct {
        const char *name;
        int number;
    } errors[] = {
#define NAMED(name) {#name, name}
        NAMED(EPERM),  NAMED(ENOENT), NAMED(EINTR),  NAMED(EIO),     NAMED(EBADF),      NAMED(EAGAIN), NAMED(ENOMEM),
        NAMED(EACCES), NAMED(EBUSY),  NAMED(EEXIST), NAMED(EINVAL),  NAMED(ENFILE),     NAMED(EMFILE), NAMED(EFBIG),
        NAMED(ENOSPC), NAMED(EROFS),  NAMED(ENOSYS), NAMED(ENOTDIR), NAMED(EOPNOTSUPP), NAMED(ESTALE), NAMED(ETIMEDOUT),
        NAMED(EDQUOT), NAMED(EXDEV),  NAMED(ENOTCONN), NAMED(ECANCELED),
#undef NAMED
    };
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
        if (strcmp(errors[i].name, value) == 0)
            return errors[i].number;
    return number_of(word, value);
}

static bool is_this_rank(int64_t rank)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *value = getenv(names[i]);
        if (value != NULL)
            return strtoll(value, NULL, 10) == rank;
    }
    fputs("fault library: a rule names a rank, and nothing says which one this is\n", stderr);
    _exit(99);
}

/* Takes a word of a rule. False if the rule is for another process. */
static bool take_word(struct rule *rule, const char *word)
{
    const char *equals = strchr(word, '=');
    if (equals == NULL)
        refuse(word);
    const char *value = equals + 1;
    size_t length = (size_t)(value - word);
#define IS(name) (length == sizeof name - 1 && memcmp(word, name, length) == 0)
    if (IS("nth="))
        rule->nth = number_of(word, value);
    else if (IS("every="))
        rule->every = number_of(word, value);
    else if (IS("from="))
        rule->from = number_of(word, value);
    else if (IS("path="))
        rule->path = value;
    else if (IS("when="))
        rule->when = value;
    else if (IS("rank="))
        return is_this_rank(number_of(word, value));
    else if (IS("error="))
        rule->effect = ERROR, rule->value = error_of(word, value);
    else if (IS("short="))
        rule->effect = SHORT, rule->value = number_of(word, value);
    else if (IS("flip="))
        rule->effect = FLIP, rule->value = number_of(word, value);
    else if (IS("kill="))
        rule->effect = KILL, rule->value = number_of(word, value);
    else
        refuse(word);
#undef IS
    return true;
}

/* Cuts the text of the rule into words, in place. True if it is a rule for this process. */
static bool parse_rule(struct rule *rule, const char *const *calls)
{
    char *rest = rule->text;
    char *word;
    bool ours = true;
    while ((word = strtok_r(rest, " \t\n", &rest)) != NULL) {
        if (rule->call == NULL)
            rule->call = word;
        else
            ours &= take_word(rule, word);
    }
    if (rule->call == NULL)
        return false;
    while (*calls != NULL && strcmp(*calls, rule->call) != 0)
        calls++;
    if (*calls == NULL)
        refuse(rule->call);
    if (rule->nth == 0 && rule->every == 0 && rule->from == 0)
        rule->nth = 1;
    return ours;
}

/* Reads the rules of an environment variable. calls has the known names, then NULL. */
static void read_rules(const char *variable, const char *const *calls)
{
    const char *text = getenv(variable);
    while (text != NULL && *text != '\0') {
        struct rule *rule = &rules[rule_count];
        const char *end = strchrnul(text, ';');
        size_t length = (size_t)(end - text);
        if (rule_count == MOST_RULES - 1 || length >= sizeof rule->text)
            refuse(text);
        memset(rule, 0, sizeof *rule);
        memcpy(rule->text, text, length);
        if (parse_rule(rule, calls))
            rule_count++;
        text = *end == ';' ? end + 1 : end;
    }
}

static bool is_due(const struct rule *rule, int64_t count)
{
    return (rule->nth > 0 && count == rule->nth) || (rule->every > 0 && count % rule->every == 0) ||
           (rule->from > 0 && count >= rule->from);
}

/*
 * Counts a call on a file, NULL if it is on none, and returns the rule by which it fails, or NULL. The second path, of
 * a rename, may be NULL.
 */
static const struct rule *fault_of(const char *call, const char *path, const char *other)
{
    const struct rule *due = NULL;
    int before = errno;
    for (int i = 0; i < rule_count; i++) {
        struct rule *rule = &rules[i];
        if (strcmp(rule->call, call) != 0)
            continue;
        if (rule->path != NULL && !(path != NULL && strstr(path, rule->path) != NULL) &&
            !(other != NULL && strstr(other, rule->path) != NULL))
            continue;
        if (rule->when != NULL && syscall(SYS_faccessat, AT_FDCWD, rule->when, F_OK) != 0)
            continue;
        int64_t count = atomic_fetch_add(&rule->matched, 1) + 1;
        if (due != NULL || rule->effect == NONE || !is_due(rule, count))
            continue;
        atomic_fetch_add(&rule->hit, 1);
        due = rule;
        log_line("%s %lld of rule %d fails: %s\n", call, (long long)count, i + 1, path == NULL ? "" : path);
        if (rule->effect == KILL)
            (void)syscall(SYS_kill, getpid(), (int)rule->value);
    }
    errno = before;
    return due;
}

__attribute__((destructor)) static void log_counts(void)
{
    for (int i = 0; i < rule_count; i++)
        log_line("rule %d, %s: %lld matched, %lld failed\n", i + 1, rules[i].call, (long long)atomic_load(&rules[i].matched),
                 (long long)atomic_load(&rules[i].hit));
}

#endif
