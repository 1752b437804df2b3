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
  readonly data: string | undefined
}

/** Input of the platform for `meshctl dev`. */
export type DevInput = CliInput<DevValues>
