import { isIP } from 'node:net';

/** The version of the Open Cybersecurity Schema Framework that records follow. */
const OCSF_VERSION = '1.3.0';

/** An entry of the audit log, with personal values in plain text. */
export type StreamedEntry = {
  readonly organizationId: string;
  readonly sequence: number;
  readonly id: string;
  readonly type: string;
  readonly schemaVersion: number;
  readonly at: string;
  readonly stream: string;
  readonly object: { readonly kind: string; readonly id: string };
  /** `name` and `email` of a member who has not left. */
  readonly actor: {
    readonly kind: string;
    readonly id: string | null;
    readonly name: string | null;
    readonly email: string | null;
  };
  readonly signInId: string | null;
  readonly address: string | null;
  readonly correlationId: string;
  readonly causationId: string | null;
  readonly commandId: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** The hash of its row, in base64, as a leaf of the log's tree. */
  readonly leaf: string;
};

export type StreamedCheckpoint = {
  readonly organizationId: string;
  readonly size: number;
  readonly at: string;
  readonly signed: unknown;
};

type Activity = readonly [id: number, name: string];

const OTHER = 99;
const CREATE: Activity = [1, 'Create'];
const READ: Activity = [2, 'Read'];
const UPDATE: Activity = [3, 'Update'];
const DELETE: Activity = [4, 'Delete'];

const ENTITY_MANAGEMENT = { category_uid: 3, class_uid: 3004, class_name: 'Entity Management' };
const AUTHENTICATION = { category_uid: 3, class_uid: 3002, class_name: 'Authentication' };
const ACCOUNT_CHANGE = { category_uid: 3, class_uid: 3001, class_name: 'Account Change' };
const API_ACTIVITY = { category_uid: 6, class_uid: 6003, class_name: 'API Activity' };

const LOGON: Activity = [1, 'Logon'];

/** Signing in and out. A refused sign-in is a refused call. */
const AUTHENTICATIONS: Readonly<Record<string, Activity>> = {
  UserSignedIn: LOGON,
  UserSignedOut: [2, 'Logoff'],
};

/** Events that change who has access, and how. */
const ACCOUNT_CHANGES: Readonly<Record<string, Activity>> = {
  UserRegistered: [1, 'Create'],
  MemberReactivated: [2, 'Enable'],
  PasswordChanged: [3, 'Password Change'],
  EmailChanged: [OTHER, 'Email Change'],
  MemberDeactivated: [5, 'Disable'],
  PersonErased: [6, 'Delete'],
  MemberJoined: [7, 'Attach Policy'],
  MemberRoleChanged: [7, 'Attach Policy'],
  SecondFactorEnabled: [10, 'MFA Factor Enable'],
  SecondFactorDisabled: [11, 'MFA Factor Disable'],
};

/** Calls that only left a trace. */
const API_ACTIVITIES: Readonly<Record<string, Activity>> = {
  CallRefused: [OTHER, 'Refused'],
  AuditorCalled: READ,
  ApiKeyUsed: [OTHER, 'Used'],
};

const FAILED = /(?:Failed|Failing|Refused)$/;
const ENDINGS: readonly (readonly [RegExp, Activity])[] = [
  [/(?:Created|Registered|Requested|Issued|Connected|Started|Opened|Posted|Granted)$/, CREATE],
  [/(?:Deleted|Removed|Revoked|Disconnected|OrganizationClosed|Ended)$/, DELETE],
  [/(?:Changed|Renamed|Restored|Assigned|Set|Rotated|Paused|Resumed|Activated)$/, UPDATE],
  [/(?:Exported)$/, READ],
];

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);

/** The class of an event, with the attributes that the class requires. */
function classOf({ type, data, object, actor, address }: StreamedEntry) {
  const source = address && isIP(address) !== 0 ? { ip: address } : { name: 'unknown' };
  const isRefusedSignIn = type === 'CallRefused' && data.call === 'signIn';
  const signIn = isRefusedSignIn ? LOGON : AUTHENTICATIONS[type];
  const account = ACCOUNT_CHANGES[type];
  if (signIn || account) {
    const uid = text(data.userId) ?? (isRefusedSignIn ? (actor.id ?? 'unknown') : object.id);
    const known = uid === actor.id ? actor : undefined;
    const name = text(data.username) ?? known?.name ?? undefined;
    const email = text(data.email) ?? known?.email ?? undefined;
    const user = { uid, name, email_addr: email };
    const more = { user, src_endpoint: source };
    if (account) return { ...ACCOUNT_CHANGE, activity: account, ...more };
    const service = { name: 'Tallyhand' };
    return { ...AUTHENTICATION, activity: signIn ?? LOGON, service, ...more };
  }
  const call = API_ACTIVITIES[type];
  if (call) {
    const api = { operation: text(data.call) ?? type };
    return { ...API_ACTIVITY, activity: call, api, src_endpoint: source };
  }
  const ending = ENDINGS.find(([pattern]) => pattern.test(type));
  const activity = ending?.[1] ?? ([OTHER, type] as const);
  const entity = { uid: object.id, type: object.kind, name: text(data.name) };
  return { ...ENTITY_MANAGEMENT, activity, entity };
}

function actorOf({ actor, signInId }: StreamedEntry) {
  if (actor.id === null) return { app_name: 'Tallyhand' };
  const isMember = actor.kind === 'member';
  const user = {
    uid: actor.id,
    type_id: isMember ? 1 : OTHER,
    type: isMember ? 'User' : actor.kind,
    name: actor.name ?? undefined,
    email_addr: actor.email ?? undefined,
  };
  return { user, session: signInId ? { uid: signInId } : undefined };
}

const product = { name: 'Tallyhand', vendor_name: 'Tallyhand' };

type Metadata = {
  readonly uid: string;
  readonly event_code: string;
  readonly sequence: number;
  readonly tenant_uid: string;
  readonly correlation_uid?: string;
};

function recordOf<T extends { readonly class_uid: number; readonly activity: Activity }>(
  { activity: [activityId, activityName], ...rest }: T,
  at: string,
  metadata: Metadata,
) {
  return {
    activity_id: activityId,
    activity_name: activityName,
    type_uid: rest.class_uid * 100 + activityId,
    time: Date.parse(at),
    ...rest,
    metadata: { version: OCSF_VERSION, product, log_name: 'audit', original_time: at, ...metadata },
  };
}

/**
 * An entry as a record of OCSF. What the schema has no place for is in `unmapped`: with it, the row
 * of an export and its hash can be computed.
 */
export function ocsfOf(entry: StreamedEntry) {
  const isFailure = FAILED.test(entry.type);
  return {
    ...recordOf(classOf(entry), entry.at, {
      uid: entry.id,
      event_code: entry.type,
      sequence: entry.sequence,
      correlation_uid: entry.correlationId,
      tenant_uid: entry.organizationId,
    }),
    severity_id: isFailure ? 2 : 1,
    status_id: isFailure ? 2 : 1,
    actor: actorOf(entry),
    unmapped: {
      schemaVersion: entry.schemaVersion,
      stream: entry.stream,
      causationId: entry.causationId,
      commandId: entry.commandId,
      data: entry.data,
      leaf: entry.leaf,
    },
  };
}

/** A signed checkpoint as a record of OCSF: it binds all entries up to its size. */
export function ocsfOfCheckpoint({ organizationId, size, at, signed }: StreamedCheckpoint) {
  const entity = { uid: organizationId, type: 'audit-log', version: String(size) };
  const activity: Activity = [OTHER, 'Checkpoint signed'];
  return {
    ...recordOf({ ...ENTITY_MANAGEMENT, activity, entity }, at, {
      uid: `${organizationId}/${size}`,
      event_code: 'AuditCheckpointSigned',
      sequence: size,
      tenant_uid: organizationId,
    }),
    severity_id: 1,
    status_id: 1,
    actor: { app_name: 'Tallyhand' },
    unmapped: { checkpoint: signed },
  };
}

export type OcsfRecord = ReturnType<typeof ocsfOf> | ReturnType<typeof ocsfOfCheckpoint>;
