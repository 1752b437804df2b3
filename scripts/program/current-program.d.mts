export function programsFolder(root: string): string
export function programFolder(root: string): string
export function findProgram(root: string): string | undefined
