/** Names a dataset, and optionally one of its pins, as `spec.datasetRef` of a suite does. */
export interface DatasetReference {
  readonly namespace: string
  readonly name: string
  /** Version of a pin. Default: the latest pin, or the live cases of a dataset without one. */
  readonly version?: number | undefined
}

/** Why a reference names nothing that its reader may read: reason and detail of a condition `ResolvedRefs=False`. */
export interface UnresolvedDataset {
  readonly found: false
  readonly reason: 'DatasetNotFound' | 'DatasetNotAllowed' | 'PinNotFound'
  readonly detail: string
}

/** What a reference names now. */
export interface FoundDataset {
  readonly found: true
  readonly datasetId: string
  /** Version of the pin; null for live cases. */
  readonly version: number | null
  /** Digest of the pin; null for live cases, which have one once a snapshot was taken. */
  readonly digest: string | null
  readonly cases: number
}

/**
 * Cases that never change: those of a pin, or live cases as they were at one moment. JSON, to be stored as it is. The digest proves that its holder
 * has resolved the reference.
 */
export interface DatasetSnapshot {
  readonly found: true
  readonly datasetId: string
  readonly namespace: string
  readonly name: string
  /** Version of the pin; null for a snapshot of live cases. */
  readonly version: number | null
  /** `sha256:` and 64 hexadecimal digits. */
  readonly digest: string
  readonly cases: number
}

/** A case of a snapshot. */
export interface DatasetCase {
  readonly id: string
  /** Digest of the whole case. */
  readonly digest: string
  readonly input: unknown
  /** Digest of the input alone. */
  readonly inputDigest: string
  /** Undefined unless the case has an expected output, which may be null. */
  readonly expected?: unknown
  readonly metadata: Readonly<Record<string, unknown>>
  readonly tags: readonly string[]
  /** Origin of the case. `runId` names the run whose recording replays its tools. */
  readonly source: DatasetCaseSource
}

/** Origin of a case. */
export interface DatasetCaseSource {
  readonly runId?: string
  readonly traceId?: string
}

/** Position and size of a page of cases. */
export interface SnapshotPage {
  /** `next` of the previous page. */
  readonly after?: string | undefined
  /** At most 200; a page has fewer if its cases exceed 4 MiB. Default: 50. */
  readonly limit?: number | undefined
}

/** A page of the cases of a snapshot, by id. */
export interface SnapshotCases {
  readonly cases: readonly DatasetCase[]
  /** Position of the next page; undefined at the end. */
  readonly next: string | undefined
}

/** Datasets for other plugins, in every role. */
export interface DatasetsApi {
  /** Reads a page of a snapshot. Throws `not_found` once the dataset was deleted. */
  readCases(snapshot: DatasetSnapshot, page?: SnapshotPage): Promise<SnapshotCases>
}

/** Reads without a proof of access. */
export interface DatasetsSystem extends DatasetsApi {
  /** Finds what a reference of an object in a namespace names. Datasets of another namespace must allow it (`allowedNamespaces`). */
  find(reference: DatasetReference, fromNamespace: string): Promise<FoundDataset | UnresolvedDataset>
  /** Like `find`, and keeps live cases as they are now. Of equal cases there is one snapshot. */
  takeSnapshot(reference: DatasetReference, fromNamespace: string): Promise<DatasetSnapshot | UnresolvedDataset>
}
