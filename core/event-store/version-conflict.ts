import { Fail } from '#core/errors/domain-error.ts'

/** Another writer appended to the stream since its version was read. Read again and retry (O4). */
export class StreamConflict extends Fail {
  readonly stream: string
  constructor(stream: string, expected: number) {
    super('conflict', `The stream ${stream} is not at version ${expected} any more.`)
    this.name = 'StreamConflict'
    this.stream = stream
  }
}
