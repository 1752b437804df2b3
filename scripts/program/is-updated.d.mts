export function isUpdated(root: string): boolean
