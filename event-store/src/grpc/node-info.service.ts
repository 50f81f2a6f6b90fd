import type { ClusterInfo } from '@eventstore/db-client/generated/gossip_pb.js';
import type { SupportedMethods } from '@eventstore/db-client/generated/serverfeatures_pb.js';
import type { ServerUnaryCall, sendUnaryData } from '@grpc/grpc-js';
import { featuresGrpc, featuresPb, gossipGrpc, gossipPb, sharedPb } from './protocol.ts';

/** The version whose behavior this server follows. */
const SERVER_VERSION = '23.10.0';

const STREAMS = 'event_store.client.streams.streams';
const SUPPORTED: readonly [service: string, method: string, features: string[]][] = [
  [STREAMS, 'read', ['position', 'events']],
  [STREAMS, 'append', []],
  [STREAMS, 'batchappend', []],
  ['event_store.client.users.users', 'create', []],
  ['event_store.client.users.users', 'resetpassword', []],
  ['event_store.client.gossip.gossip', 'read', []],
  ['event_store.client.server_features.serverfeatures', 'getsupportedmethods', []],
];

/** ServerFeatures.GetSupportedMethods: makes the client choose batch appends. */
export function supportedMethods(): SupportedMethods {
  const answer = new featuresPb.SupportedMethods().setEventStoreServerVersion(SERVER_VERSION);
  for (const [service, method, features] of SUPPORTED) {
    const supported = new featuresPb.SupportedMethod();
    supported.setServiceName(service).setMethodName(method).setFeaturesList(features);
    answer.addMethods(supported);
  }
  return answer;
}

/** Gossip.Read: a cluster of one, its leader. */
export function clusterOfOne(instanceId: string, host: string, port: number): ClusterInfo {
  const member = new gossipPb.MemberInfo();
  member
    .setInstanceId(new sharedPb.UUID().setString(instanceId))
    .setTimeStamp(`${Date.now()}0000`)
    .setState(gossipPb.MemberInfo.VNodeState.LEADER)
    .setIsAlive(true)
    .setHttpEndPoint(new gossipPb.EndPoint().setAddress(host).setPort(port));
  const cluster = new gossipPb.ClusterInfo();
  cluster.addMembers(member);
  return cluster;
}

/** Need no credentials: the official client calls them before it sends its own. */
export const PUBLIC_METHODS: ReadonlySet<string> = new Set([
  featuresGrpc.ServerFeaturesService.getSupportedMethods.path,
  gossipGrpc.GossipService.read.path,
]);

export function publicHandler<Answer>(answer: () => Answer) {
  return (_call: ServerUnaryCall<unknown, Answer>, callback: sendUnaryData<Answer>) =>
    callback(null, answer());
}
