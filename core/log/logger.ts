/** A structured logger (pino). Secrets are removed by key and by registered value before a line is written. */
export interface Logger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
  child(bindings: object): Logger
}
