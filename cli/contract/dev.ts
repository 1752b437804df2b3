import type { CliInput } from './command.ts'

/** Values of the options of `meshctl dev`. */
export interface DevValues {
  readonly file: string
  readonly port: number
  readonly provider: 'mock' | 'real'
  readonly model: string | undefined
  readonly 'base-url': string | undefined
  readonly 'key-env': string | undefined
  readonly 'no-wait': boolean
  readonly ui: boolean
  /** Undefined: 8888. */
  readonly 'ui-port': number | undefined
  /** Undefined: `ui/dist`, else the console of the package. */
  readonly 'ui-dist': string | undefined
  readonly record: string | undefined
  readonly replay: string | undefined
  readonly data: string | undefined
}

/** A recording that is served in place of models and tools. */
export interface ServedReplay {
  /** `http://127.0.0.1:4000`, with the paths of `replay-serve`. */
  readonly url: string
  /** Stops it. Resolves with 0, or with 2 for calls that differ from the recording, which standard error names. */
  close(): Promise<number>
}

/** How a recording is compared. */
export interface ReplayComparison {
  /** The instructions of the agent are in its file, so a call with others differs from the recording. */
  readonly instructions: boolean
}

/** Input of the platform for `meshctl dev`. */
export interface DevInput extends CliInput<DevValues> {
  /** Serves a recording as `replay-serve` does. Rejects with a `CliProblem` for one that cannot be read. */
  serveReplay(fixture: string, comparison: ReplayComparison): Promise<ServedReplay>
}
