/** Formats that can be read. */
export type DocumentFormat = 'text' | 'markdown' | 'html' | 'pdf' | 'csv'

/** Text of a document. */
export interface ParsedDocument {
  readonly text: string
  readonly title?: string | undefined
  /** Offsets in the text at which the pages after the first begin; empty without pages. */
  readonly pages: readonly number[]
}

/** Limits of a document's text. */
export interface ParseLimits {
  readonly maxCharacters: number
}

/** Why a document cannot be ingested: codes of `ingests[].error`. */
export type IngestProblem =
  | 'unsupported_type'
  | 'unreadable'
  | 'encrypted'
  | 'too_large'
  | 'no_text'
  | 'parse_timeout'
  | 'fetch_refused'
  | 'fetch_failed'
  | 'limit_of_base'
  | 'limit_of_namespace'
  | 'unavailable'

/** A document that cannot be ingested. The message is the code: never text of the document or of a server. */
export class IngestFailure extends Error {
  override readonly name = 'IngestFailure'
  readonly problem: IngestProblem
  /** Whether the same ingest may succeed later unchanged. */
  readonly retryable: boolean
  constructor(problem: IngestProblem, retryable = false) {
    super(problem)
    this.problem = problem
    this.retryable = retryable
  }
}

/** Collects text up to a limit. */
export class TextBuilder {
  readonly #parts: string[] = []
  readonly #most: number
  length = 0
  constructor(most: number) {
    this.#most = most
  }

  /** Throws `too_large` above the limit. */
  add(text: string): void {
    this.length += text.length
    if (this.length > this.#most) throw new IngestFailure('too_large')
    this.#parts.push(text)
  }

  toString(): string {
    return this.#parts.join('')
  }
}
