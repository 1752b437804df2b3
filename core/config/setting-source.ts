/** A name of the interface (a dotted settings path or an environment variable) and where it lands in the slice. */
export interface SettingSource {
  readonly from: string
  readonly to: string
  readonly parse?: (text: string) => unknown
}
