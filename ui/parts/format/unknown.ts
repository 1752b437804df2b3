/** Shown in place of an unknown value; never 0. */
export const UNKNOWN = '—'
