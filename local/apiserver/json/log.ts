/** Writes one log line of a fault: a constant message and its fields. */
export type Log = (message: string, fields: object) => void
