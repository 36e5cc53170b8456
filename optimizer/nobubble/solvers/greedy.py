"""x."""
from __future__ import annotations
import numpy as np
from nobubble.compiled.list_scheduling import list_schedule, SPLIT, FUSED, FUSED_WHILE_STEADY as MIXED
from nobubble.problem import *
from nobubble.order import Order

def tables(problem):
    need=[];held=[]
    for r in range(problem.ranks):
        st=problem.stages_on(r); v=len(st)
        M=problem.memory; X=problem.workspace
        for q in range(2*v+1):
            level=peak=0
            f=min(q,v); b=q-f
            h=sum(int(M[s,F]) for s in (st[:f] if b==0 else st[:v-b]))
            level=h
            for s in st[f:]:
                peak=max(peak,level+int(M[s,F])+int(X[s,F])); level+=int(M[s,F])
            for s in reversed(st[:v-b]):
                opts=[]
                if problem.may_split[s]:
                    mb=int(M[s,B]); opts.append(max(max(mb,0)+int(X[s,B]), mb+int(X[s,W])))
                if problem.may_fuse[s]:
                    opts.append(int(X[s,BW])+max(0,int(M[s,BW])))
                peak=max(peak,level+min(opts)); level-=int(M[s,F])
            need.append(max(0,peak-h)); held.append(h)
    return np.array(need), np.array(held)

def run(problem, caps_list, rules, modes=None):
    S,m,p=problem.stages,problem.microbatches,problem.ranks
    stage_list=np.argsort(problem.rank_of,kind='stable').astype(np.int64)
    off=np.concatenate([[0],np.cumsum(np.bincount(problem.rank_of,minlength=p))]).astype(np.int64)
    need,held=tables(problem)
    letters=np.empty(3*m*S,np.int32);counts=np.empty(p,np.int64);orr=np.empty((3,p),np.int64)
    res=[]
    mode=np.where(problem.may_fuse,np.where(problem.may_split,MIXED,FUSED),SPLIT).astype(np.int64)
    for c in caps_list:
        for g,lag in rules:
            cap=np.maximum(1,np.array([m if c is None else int(np.ceil(c*(S-s)*p/S)) for s in range(S)],dtype=np.int64))
            lagv=np.array([lag(s,S) if lag else m for s in range(S)],dtype=np.int64)
            left=list_schedule(stage_list,off,m,problem.rank_of,problem.time,problem.memory,problem.workspace,problem.forward_latency,problem.backward_latency,problem.capacity,need,held,cap,lagv,mode,g,letters,counts,orr)
            assert left==0,left
            mk=orr[1].max()-orr[0].min(); sp=(orr[1]-orr[0]).max()
            res.append((int(mk),int(sp),c,g,bool(lag)))
    return res
