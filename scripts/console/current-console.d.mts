export function consolesFolder(root: string): string
export function consoleFile(root: string): string | undefined
