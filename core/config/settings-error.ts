/** A setting that the process refuses to start with; the message names the key and where it was read. */
export class SettingsError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'SettingsError'
  }
}
