/** Styles of text on a terminal. Without colours they return the text unchanged. */
export interface Style {
  bold(text: string): string
  dim(text: string): string
  red(text: string): string
  green(text: string): string
  yellow(text: string): string
}

/** Creates the styles of an output. */
export function createStyle(hasColor: boolean): Style {
  const styled = (on: number, off: number) => (text: string) =>
    hasColor && text !== '' ? `\u001b[${on}m${text}\u001b[${off}m` : text
  return { bold: styled(1, 22), dim: styled(2, 22), red: styled(31, 39), green: styled(32, 39), yellow: styled(33, 39) }
}
