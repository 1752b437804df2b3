/** Prefix of the lines that a launcher adds to the log of its agent. */
export const LAUNCHER_LINE = 'mesh launcher: '
