/** A value that does not fit its schema. The message begins with the path of the field: `limit: must be an integer from 1 to 50`. */
export class MalformedValue extends Error {
  override readonly name = 'MalformedValue'
  constructor(at: string, problem: string) {
    super(at === '' ? `the body ${problem}` : `${at}: ${problem}`)
  }
}
