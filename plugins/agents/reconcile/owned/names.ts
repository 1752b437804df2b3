import { groupKey } from '#schemas/names/group.ts'

/** Container name of the launcher beside an agent process. */
export const LAUNCHER_CONTAINER = 'launcher'

/** Annotation of a workload: the name of the revision that it runs. */
export const REVISION_ANNOTATION = groupKey('revision')
