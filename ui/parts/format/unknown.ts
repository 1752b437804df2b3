/** What stands for a value that is not known; never 0. */
export const UNKNOWN = '—'
