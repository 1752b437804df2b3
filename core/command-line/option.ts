/** An option `--name` of a command, or an argument given by its position. */
export interface CommandOption {
  readonly help: string
  /** Name of the value in the help, such as `FILE`. An option without a value is a switch. */
  readonly value?: string
  /** The accepted values. */
  readonly oneOf?: readonly string[]
  readonly default?: string
  readonly required?: boolean
  readonly repeatable?: boolean
  /** One letter, for a short form such as `-o`. */
  readonly short?: string
  /** Given by position, in the order of the options. */
  readonly positional?: boolean
  /** Converts the string. The message of its error follows the name of the option: `must be 1 to 10000`. */
  parse?(text: string): unknown
}

/** Options by name. */
export type CommandOptions = Readonly<Record<string, CommandOption>>

type OneOf<O> = O extends { parse(text: string): infer T }
  ? T
  : O extends { oneOf: readonly (infer Choice)[] }
    ? Choice
    : string
type Valued = { value: string } | { oneOf: readonly string[] } | { positional: true }
type ValueOf<O> = O extends Valued
  ? O extends { repeatable: true }
    ? readonly OneOf<O>[]
    : O extends { required: true } | { default: string }
      ? OneOf<O>
      : OneOf<O> | undefined
  : boolean

/** Values of the options of a command, by name. */
export type CommandValues<O extends CommandOptions> = { readonly [K in keyof O]: ValueOf<O[K]> }

/** Arguments that a command refuses. The message and the usage are printed, and the exit code is 2. */
export class BadArguments extends Error {
  override readonly name = 'BadArguments'
}
