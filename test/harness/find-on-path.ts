import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Absolute path of a program on PATH or in the system folders that PATH of a normal user lacks, or undefined. */
export function findOnPath(name: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin']
  return folders.map((folder) => join(folder, name)).find(isExecutable)
}

/** Whether the file exists and this user may execute it. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
