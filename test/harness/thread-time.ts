/** Processor time of this thread in milliseconds. Work takes the same on a busy machine, where wall time does not. */
export function threadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
