/** Parameters of a query; `undefined` is left out. */
export type ApiQuery = Readonly<Record<string, string | number | boolean | undefined>>

/** Segments of a path below `/api`, not encoded. */
export type ApiPath = readonly string[]

/** A page of a list. */
export interface ListPage<Item> {
  readonly items: readonly Item[]
  readonly nextCursor: string | null
}

/** Calls the API as the user of the context. Each failure is an error for a terminal. */
export interface ApiClient {
  get<Response>(path: ApiPath, query?: ApiQuery): Promise<Response>
  /** Reads pages until it has `limit` items. */
  list<Item>(path: ApiPath, query: ApiQuery, limit: number): Promise<ListPage<Item>>
  post<Response>(path: ApiPath, body: unknown, query?: ApiQuery): Promise<Response>
  put<Response>(path: ApiPath, body: unknown, query?: ApiQuery): Promise<Response>
  delete(path: ApiPath, query?: ApiQuery): Promise<void>
}
