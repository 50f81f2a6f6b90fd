import type { ClusterInfo } from '@eventstore/db-client/generated/gossip_pb.js';
import type { SupportedMethods } from '@eventstore/db-client/generated/serverfeatures_pb.js';
import type { sendUnaryData } from '@grpc/grpc-js';
import { featuresPb, gossipPb, sharedPb } from './protocol.ts';

/** The version whose behaviour this server follows. */
const SERVER_VERSION = '23.10.0';

const STREAMS = 'event_store.client.streams.streams';
const SUPPORTED: readonly [service: string, method: string, features: string[]][] = [
  [STREAMS, 'read', ['position', 'events']],
  [STREAMS, 'append', []],
  [STREAMS, 'batchappend', []],
  ['event_store.client.gossip.gossip', 'read', []],
  ['event_store.client.server_features.serverfeatures', 'getsupportedmethods', []],
];

/** ServerFeatures.GetSupportedMethods: what lets the client choose batch appends. */
export function supportedMethodsHandler(_call: unknown, callback: sendUnaryData<SupportedMethods>) {
  const answer = new featuresPb.SupportedMethods().setEventStoreServerVersion(SERVER_VERSION);
  for (const [service, method, features] of SUPPORTED) {
    const supported = new featuresPb.SupportedMethod();
    supported.setServiceName(service).setMethodName(method).setFeaturesList(features);
    answer.addMethods(supported);
  }
  callback(null, answer);
}

/**
 * Gossip.Read: a cluster of one, its leader. `address` is asked for at each call, for the port is
 * known late.
 */
export function gossipHandler(instanceId: string, address: () => { host: string; port: number }) {
  return (_call: unknown, callback: sendUnaryData<ClusterInfo>): void => {
    const { host, port } = address();
    const member = new gossipPb.MemberInfo();
    member
      .setInstanceId(new sharedPb.UUID().setString(instanceId))
      .setTimeStamp(`${Date.now()}0000`)
      .setState(gossipPb.MemberInfo.VNodeState.LEADER)
      .setIsAlive(true)
      .setHttpEndPoint(new gossipPb.EndPoint().setAddress(host).setPort(port));
    const cluster = new gossipPb.ClusterInfo();
    cluster.addMembers(member);
    callback(null, cluster);
  };
}
