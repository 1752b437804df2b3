/** Writes one log line of a fault: a constant message, and what it is about as fields. */
export type Log = (message: string, fields: object) => void
